/** No message of a server may be longer. */
export const longestMessageBytes = 16 * 1024 * 1024;

/** What comes between messages and is none is overlooked so many times. */
export const mostStrays = 10_000;
