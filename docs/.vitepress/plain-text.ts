import type { MarkdownRenderer } from 'vitepress';

/** Shows pages as code hosts do: `<run>` and `{{last}}` in a text are placeholders, not parts of a Vue template. */
export function plainText(markdown: MarkdownRenderer): void {
  markdown.set({ html: false });
  const { rules } = markdown.renderer;
  for (const type of ['text', 'code_inline'] as const) {
    const render = rules[type];
    if (!render) continue;
    rules[type] = (...args) => render(...args).replaceAll('{{', '&#123;&#123;');
  }
}
