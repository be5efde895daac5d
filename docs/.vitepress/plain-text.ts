import type { MarkdownRenderer } from 'vitepress';

/** `<run>`, `{{last}}` and bare addresses in a text are examples, not HTML, parts of a Vue template or links. */
export function plainText(markdown: MarkdownRenderer): void {
  markdown.set({ html: false, linkify: false });
  const { rules } = markdown.renderer;
  for (const type of ['text', 'code_inline'] as const) {
    const render = rules[type];
    if (!render) continue;
    rules[type] = (...args) => render(...args).replaceAll('{{', '&#123;&#123;');
  }
}
