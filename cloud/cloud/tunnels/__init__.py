"""The cloud's ends of tunnels: frames, and the listeners that people and their programs connect to."""
