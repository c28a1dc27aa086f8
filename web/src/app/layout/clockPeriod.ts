/** The clock of the wall screens goes on this often. */
export const CLOCK_MS = 1_000;
