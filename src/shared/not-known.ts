/** What stands for a figure that nobody reported, wherever people read it. */
export const notKnown = '–';
