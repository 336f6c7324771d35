/* The library is preloaded and exports nothing; see FaultShim.c. */
