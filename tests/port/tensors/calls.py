"""Calls of NumPy's functions, each to be made on the facade too."""

from __future__ import annotations

# `a` and `b` are matrices (4, 5), `v` and `w` rows (6), `i` integers, `m` a mask, `s` square and
# regular, `p` positive, `z` complex, `n` a row with NaN, `k` small integers of 8 bits.
CALLS = """
np.sum(a) np.sum(a,axis=0) np.sum(a,axis=(0,1),keepdims=True) np.sum(i) np.sum(k) a.sum(1)
np.prod(v) np.prod(i,axis=0) np.mean(a) np.mean(i,axis=1) np.mean(k) a.mean(axis=-1,keepdims=True)
np.std(a) np.std(a,axis=0,ddof=1) np.var(a,axis=1) np.var(i) v.std() v.var(ddof=2) np.std(z)
np.max(n) np.min(n) np.max(a,axis=0) np.min(i) np.max(m) np.nanmax(n) np.nanmin(n) np.nanmean(n)
np.nansum(n) np.nanstd(n) np.nanvar(n,ddof=1) np.nanmedian(n) np.nanpercentile(n,30)
np.nanargmax(n) np.argmax(n) np.argmin(n) np.argmax(a,axis=1) np.argmax(k) np.argmin(m)
np.ptp(a,axis=0) np.median(a) np.median(v) np.median(a,axis=0) np.median(n)
np.percentile(a,[10,50,99]) np.percentile(a,30,axis=0) np.quantile(v,0.3) np.quantile(v,0.3,method='lower')
np.quantile(v,0.3,method='nearest') np.cumsum(a) np.cumsum(i,axis=0) np.cumprod(v) np.diff(a) np.diff(v,n=2)
np.diff(v,prepend=0) np.cov(a) np.cov(a,rowvar=False) np.cov(v,w) np.cov(a,bias=True) np.corrcoef(a)
np.corrcoef(a,rowvar=False) np.corrcoef(v,w) np.average(v,weights=p) np.average(a,axis=0)
np.all(m) np.any(m,axis=0) np.count_nonzero(m) np.count_nonzero(i,axis=1)
np.sort(v) np.sort(a,axis=0) np.sort(n) np.argsort(v) np.sort(k) np.unique(k) np.unique(n)
np.unique(k,return_counts=True) np.unique(k,return_inverse=True) np.unique(k,return_index=True)
np.searchsorted(np.sort(v),w) np.digitize(v,np.sort(w)) np.lexsort((v,w)) np.partition(v,2)[2]
np.where(a>0,a,0) np.where(m,1,2) np.where(m,i,0.5) np.where(a>0,k[0],a) np.where(v>0)
np.clip(a,-0.5,0.5) np.clip(i,0.5,3) np.clip(i,0,2) a.clip(0) np.clip(v,None,0.1)
a+b a-b a*b a/b a//b a%b a**2 2**a 2.0-a 1/a -a abs(a) i+i i*2 i/i i/2 i//2 i%3 i**2 i+0.5 i+k k+k k*100
k+i k/k k//2 m&m m|~m m^m i&3 i<<2 i>>1 ~i a>b a==b i>=2 m==m a+1 np.float32(2)*a np.float64(2)*f f+1.5 f*i f/k
f+k f**2 f+a np.int64(3)*f a@b.T v@w a@v[:5] np.dot(a,b.T) np.dot(v,w) np.inner(a,b) np.outer(v,w) np.vdot(z,z)
np.tensordot(a,b,axes=([1],[1])) np.einsum('ij,kj->ik',a,b) np.einsum('ij->j',a) np.kron(v,w) np.cross(a[:,:3],b[:,:3])
np.trace(s) np.matmul(a,b.T) divmod(i,2) divmod(a,b) np.add(a,b) np.hypot(a,b) np.arctan2(a,b)
np.maximum(a,b) np.maximum(n,0) np.fmax(n,0) np.minimum(i,2) np.maximum(m,~m) np.logaddexp(v,w) np.power(p,v)
np.float_power(i,2) np.mod(i,4) np.fmod(a,b) np.remainder(i,-3) np.copysign(v,w) np.heaviside(v,0.5)
np.exp(a) np.sqrt(p) np.sin(i) np.sin(k) np.sqrt(m) np.log(p) np.log1p(p) np.expm1(v) np.cbrt(v) np.rint(a) np.floor(a)
np.ceil(i) np.trunc(v) np.round(a,2) np.around(v*100,-1) np.sign(v) np.sign(n) np.square(i) np.reciprocal(a)
np.abs(z) np.angle(z) np.real(z) np.conj(z) z.imag z*z z+a[0,0] np.isnan(n) np.isfinite(n) np.isinf(n) np.logical_not(i)
np.logical_and(i,m) np.deg2rad(v) np.sinc(v) np.modf(v) np.nan_to_num(n) np.signbit(v)
np.add.reduce(a) np.add.reduce(a,axis=1) np.multiply.reduce(v) np.maximum.reduce(a) np.add.outer(v,w)
np.add.accumulate(v) np.maximum.accumulate(v) np.logical_or.reduce(m)
np.zeros(3) np.ones((2,3)) np.full(3,7) np.full((2,2),0.5) np.arange(5) np.arange(2,9,3) np.arange(0,1,0.1)
np.arange(5,dtype=np.float32) np.linspace(0,1,7) np.linspace(0,1,7,endpoint=False) np.logspace(0,2,5) np.eye(3) np.eye(3,4,1)
np.identity(2) np.zeros_like(f) np.ones_like(i) np.full_like(a,2) np.array([1,2,3]) np.array([[1.5,2]]) np.array([1,2],dtype=float)
np.meshgrid(v,w) np.meshgrid(v,w,indexing='ij') np.indices((2,3)) np.tri(3) np.vander(v,3) np.mgrid[0:3,0:2] np.ogrid[0:3]
np.r_[v,1,2] np.c_[v,w] np.geomspace(1,100,5)
a.reshape(5,4) a.reshape(-1) a.T np.transpose(a) a.ravel() a.flatten() np.swapaxes(a,0,1) np.moveaxis(a,0,1) np.expand_dims(v,0)
np.squeeze(v[None]) np.broadcast_to(v,(2,6)) np.concatenate([a,b]) np.concatenate([i,a]) np.concatenate((a,b),axis=1)
np.concatenate([v,k]) np.stack([v,w]) np.stack([v,w],axis=1) np.vstack([v,w]) np.hstack([v,w]) np.dstack([v,w]) np.column_stack([v,w])
np.split(v,3) np.array_split(v,4) np.hsplit(a[:,:4],2) np.tile(v,2) np.tile(a,(2,1)) np.repeat(v,2) np.repeat(a,2,axis=0)
np.repeat(v,[1,0,2,1,1,1]) np.roll(v,2) np.roll(a,1,axis=0) np.flip(a) np.flipud(a) np.fliplr(a) np.rot90(a) np.append(v,3)
np.append(a,b,axis=0) np.delete(v,2) np.delete(a,[0,2],axis=0) np.insert(v,1,9.0) np.pad(v,2) np.pad(a,((1,2),(0,1)))
np.pad(v,2,mode='edge') np.pad(v,2,mode='reflect') np.pad(v,2,mode='wrap') np.pad(v,2,mode='symmetric')
np.pad(v,(1,2),constant_values=5) np.atleast_2d(v) np.atleast_3d(a) np.block([[a,b],[b,a]]) np.diag(v) np.diag(s) np.diagonal(s)
np.tril(s) np.triu(s,1) np.lib.stride_tricks.sliding_window_view(v,3) np.resize(v,(2,5)) np.ediff1d(v)
a[0] a[-1] a[1:3] a[:,1] a[::2] a[::-1] a[:,::-1] a[3:0:-2] v[::-1][1:3] a[::-1,::-1][1] a[...,0] a[None] a[[0,2]] a[[0,2],[1,3]]
a[m] a[a>0] a[:,[1,3]] a[0,[1,2]] a[[True,False,True,True]] a[i[0]-1] v[i[0]] a[::-1][[0,1]] a[1,...] a[np.array([0,1])] a[::-1].T a[::-1]*2
t3[0,:,[1,2]] t3[[0,1],:,0] t3[:,[0,1]] t3[...,None] t3[0,1,2] t3[[0],[1],:]
np.take(v,[0,2]) np.take(a,[1,1],axis=1) np.take_along_axis(a,np.argsort(a,axis=1),axis=1) np.choose(i[0]%2,[v[:5],w[:5]])
np.select([v>0,v<-1],[v,w]) np.select([v>0],[1],5) np.nonzero(m) np.argwhere(m) np.flatnonzero(m) np.extract(a>0,a) np.compress([1,0,1,1],a,axis=0)
np.isin(i,[1,2]) np.union1d(k,k) np.intersect1d(i,k) np.setdiff1d(i,k) np.interp(v,np.sort(w),p) np.tril_indices(3) np.triu_indices(3,1)
np.unravel_index(7,(3,4)) np.ravel_multi_index((i[0],i[1]),(9,9)) np.isclose(a,a+1e-9) np.allclose(a,b) np.array_equal(a,a)
np.piecewise(v,[v<0,v>=0],[lambda x:-x,lambda x:x*2]) np.bincount(k[k>0]) np.bincount(i[0],minlength=9) np.bincount(i[0],weights=v[:5])
np.histogram(v,4) np.histogram(v,bins=[-1,0,1]) np.histogram(v,3,density=True) np.histogram(a,5,range=(-1,1)) np.gradient(v) np.gradient(a) np.gradient(v,0.5)
np.trapezoid(v) np.trapezoid(v,np.sort(w)) np.convolve(v,w[:3]) np.convolve(v,w[:3],'same') np.convolve(v,w[:3],'valid') np.convolve(v,w[:2],'same') np.correlate(v,w[:3],'full')
np.correlate(v,w[:3]) np.polyval([1,2,3],v) np.hanning(5) np.linalg.norm(v) np.linalg.norm(a) np.linalg.norm(a,axis=1) np.linalg.norm(v,1) np.linalg.norm(a,'nuc')
np.linalg.norm(v,np.inf) np.linalg.solve(s,v[:4]) np.linalg.solve(s,a) np.linalg.inv(s) np.linalg.det(s) np.linalg.slogdet(s) np.linalg.eigvalsh(s+s.T)
np.linalg.eigh(s+s.T)[0] np.linalg.svd(a)[1] np.linalg.svd(a,compute_uv=False) np.linalg.cholesky(s@s.T) np.linalg.lstsq(a.T,v[:5],rcond=None)[0] np.linalg.pinv(a)
np.linalg.matrix_power(s,3) np.linalg.matrix_rank(a) np.linalg.cond(s) np.linalg.qr(a)[1].shape np.linalg.multi_dot([a,b.T,a])
np.fft.fft(v) np.fft.ifft(z) np.fft.rfft(v) np.fft.irfft(z) np.fft.fft2(a) np.fft.fftfreq(6) np.fft.fftshift(v) np.fft.fftn(t3) np.fft.fft(i)
a.astype(np.float32) a.astype(int) i.astype(bool) (a*300).astype(np.int16) v.tolist() v.item(2) float(v[0]) int(i[0,0]) len(a) a.shape a.ndim a.size a.dtype a.nbytes
np.shape(a) np.ndim(v) np.size(a,0) bool(v[0]>0) [float(x) for x in v] v.copy() np.ascontiguousarray(a.T) np.isscalar(3) np.finfo(np.float32).eps np.pi
a.max() a.min(axis=0) a.argmax() a.any() m.all() a.cumsum() a.dot(b.T) a.round(1) a.trace() a.take([0,1]) a.swapaxes(0,1) a.repeat(2) a.nonzero() v.searchsorted(0.0) a.T.ravel() a.T.reshape(4,5)
"""


def calls() -> list[str]:
    """Return each call once, as an expression."""
    found: list[str] = []
    for line in CALLS.strip().splitlines():
        found += _split(line)
    return list(dict.fromkeys(found))


def _split(line: str) -> list[str]:
    """Split at spaces outside of brackets and of lambdas and loops."""
    parts, depth, start = [], 0, 0
    for place, letter in enumerate(line):
        depth += (letter in "([{") - (letter in ")]}")
        if letter == " " and depth == 0:
            parts.append(line[start:place])
            start = place + 1
    return [part for part in (*parts, line[start:]) if part]
