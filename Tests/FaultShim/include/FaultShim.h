/* The library is loaded before others and has nothing to call; see FaultShim.c. */
