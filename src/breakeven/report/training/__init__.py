"""What the report shows of a training: its five questions, curves, phases and operators."""
