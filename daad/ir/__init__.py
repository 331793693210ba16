"""The Program: a tree of loops and branches over parallel assignments; its text, its checks, its interpreter."""
