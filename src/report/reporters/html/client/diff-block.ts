import { diffLines } from '../../../presentation/diff-lines.ts';
import { element } from './element.ts';

const mostLines = 2_000;

/** A unified diff, with a sign and a colour for each line. */
export function diffBlock(diff: string): HTMLElement {
  const lines = diffLines(diff);
  const left = lines.length - mostLines;
  return element(
    'pre',
    { class: 'diff', tabindex: '0' },
    ...lines.slice(0, mostLines).map(({ kind, text }) => element('span', { class: kind }, `${text}\n`)),
    left > 0 && `… ${left} more lines`,
  );
}
