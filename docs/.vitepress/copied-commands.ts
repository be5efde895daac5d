import type { MarkdownOptions } from 'vitepress';

type Transformer = NonNullable<MarkdownOptions['codeTransformers']>[number];
type Code = Parameters<NonNullable<Transformer['code']>>[0];
type Part = Code['children'][number];

/** The button of a block with commands and what they print copies the commands, without their prompts. */
export const copiedCommands: Transformer = {
  name: 'copied-commands',
  code(node) {
    if (!/^(?:console|shellsession)$/.test(this.options.lang)) return;
    const children: Part[] = [];
    let isCommand = false;
    for (const part of node.children) {
      if (part.type === 'element') isCommand = textOf(part).startsWith('$ ');
      if (isCommand && part.type === 'element') hidePrompt(part);
      children.push(isCommand ? part : notCopied([part]));
    }
    node.children = children;
  },
};

/** Of a line `$ assay run`, the first two characters are not copied. */
function hidePrompt(line: Part): void {
  if (line.type !== 'element') return;
  const [first, ...others] = line.children;
  if (first?.type === 'element') hidePrompt(first);
  if (first?.type !== 'text') return;
  const prompt = first.value.slice(0, 2);
  line.children = [
    notCopied([{ type: 'text', value: prompt }]),
    { type: 'text', value: first.value.slice(2) },
    ...others,
  ];
}

/** VitePress leaves parts of this class out of what it copies. */
function notCopied(children: Part[]): Part {
  return { type: 'element', tagName: 'span', properties: { class: 'vp-copy-ignore' }, children } as Part;
}

function textOf(part: Part): string {
  if (part.type === 'text') return part.value;
  return part.type === 'element' ? part.children.map(textOf).join('') : '';
}
