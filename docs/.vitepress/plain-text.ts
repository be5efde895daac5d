import type { MarkdownRenderer } from 'vitepress';

/** `<run>`, `{{last}}` and bare addresses in a text are examples, not HTML, parts of a Vue template or links. */
export function plainText(markdown: MarkdownRenderer): void {
  markdown.set({ html: false, linkify: false });
  markdown.block.ruler.before('fence', 'comment', leaveOutComment, { alt: ['paragraph', 'blockquote', 'list'] });
  const { rules } = markdown.renderer;
  for (const type of ['text', 'code_inline'] as const) {
    const render = rules[type];
    if (!render) continue;
    rules[type] = (...args) => render(...args).replaceAll('{{', '&#123;&#123;');
  }
}

type BlockRule = Parameters<MarkdownRenderer['block']['ruler']['before']>[2];

/** Comments tell the tests how a sample is run. Without HTML, each would be a paragraph of the page. */
const leaveOutComment: BlockRule = (state, first, end, isProbe) => {
  const lineAt = (line: number): string => state.getLines(line, line + 1, 0, false);
  if (!lineAt(first).trimStart().startsWith('<!--')) return false;
  if (isProbe) return true;
  let line = first;
  while (line < end && !lineAt(line).includes('-->')) line += 1;
  state.line = line + 1;
  return true;
};
