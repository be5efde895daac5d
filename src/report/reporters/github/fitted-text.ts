/** A part of a page that can be cut short between its items. */
export interface PageBlock {
  readonly open: string;
  readonly items: readonly PageItem[];
  /** How much there is to tell, in the unit of the items' weights. */
  readonly total: number;
  /** What is said of that which is not shown. */
  more(hidden: number): string;
  readonly close: string;
}

export interface PageItem {
  readonly text: string;
  /** How many of the total it tells of. */
  readonly weight: number;
}

/** The blocks with as many of their items as fit, the first blocks served first; every block is closed. */
export function fittedText(blocks: readonly PageBlock[], mostBytes: number): string {
  const frames = blocks.map(({ open, close, more, total }) => `${open}${more(total)}${close}`);
  let left = mostBytes - byteLength(frames.join(''));
  return blocks
    .map(({ open, items, total, more, close }) => {
      let text = open;
      let shown = 0;
      for (const item of items) {
        const size = byteLength(item.text);
        if (size > left) break;
        left -= size;
        text += item.text;
        shown += item.weight;
      }
      return `${text}${total > shown ? more(total - shown) : ''}${close}`;
    })
    .join('');
}

function byteLength(text: string): number {
  return Buffer.byteLength(text, 'utf8');
}
