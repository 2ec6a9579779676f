"""Modules with the interfaces of other packages for longest-prefix match.

`import fingerpost.compat.pytricia as pytricia` switches a program to fingerpost. The modules are `pytricia`, `radix`
(py-radix), `subnettree` (pysubnettree), `pyasn` and `maxminddb`.
"""
