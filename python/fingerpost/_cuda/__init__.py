"""Parts of fingerpost.cuda: the C library, arrays on a device, and the values of an image."""
