"""A platform of an environmental authority: HJ/T 212-2005, HJ 212-2017 and HJ 212-2025."""
