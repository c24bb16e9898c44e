"""What the model is told beside the conversation: instructions, surroundings, what has changed."""
