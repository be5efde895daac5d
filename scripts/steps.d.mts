/** Whether the program was built from older sources than those of the checkout. */
export function isProgramStale(): boolean;
