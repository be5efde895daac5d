/** Class names of what opens above the page. */
export const popupLook =
  'max-w-[min(28rem,calc(100vw-1rem))] origin-(--transform-origin) rounded-lg border border-line bg-surface p-1 text-ink shadow-popup outline-hidden transition-[scale,opacity] duration-100 data-ending-style:scale-[0.98] data-ending-style:opacity-0 data-starting-style:scale-[0.98] data-starting-style:opacity-0';

/** Class names of one line in it: a column for a sign, one for the words. */
export const popupItemLook =
  'grid cursor-default grid-cols-[1rem_1fr] items-center gap-x-2 rounded px-2 py-1.5 text-sm outline-hidden select-none data-disabled:opacity-50 data-highlighted:bg-raised';
