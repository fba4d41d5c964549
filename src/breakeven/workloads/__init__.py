"""What is computed: array code written once for any namespace."""
