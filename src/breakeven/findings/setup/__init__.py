"""What is wrong with a machine's set-up, judged from recorded facts alone."""
