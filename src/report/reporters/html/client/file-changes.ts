import type { Trace, TraceEventOf } from '../../../../domain/trace.ts';
import { counted, grouped } from '../../../../shared/format.ts';
import { diffLines } from '../../../presentation/diff-text.ts';
import { plainOutput } from '../../../presentation/trial-text.ts';
import { element, section } from './elements.ts';
import { inSteps } from './virtual-list.ts';

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

/** Files that the trial created, changed and deleted; nothing where there are none. */
export function fileChanges(trace: Trace): HTMLElement | undefined {
  const changes = trace.filter((event) => event.type === 'file-change');
  if (changes.length === 0) return undefined;
  return section(`${counted(changes.length, 'file')} touched`, inSteps('files', changes, 50, changeItem));
}

function changeItem({ path, change, bytes, diff }: TraceEventOf<'file-change'>): HTMLElement {
  const size = bytes === null ? '' : `${grouped(bytes)} bytes`;
  const head = [
    element('span', { class: `change ${change}` }, change),
    element('span', { class: 'path' }, plainOutput(path)),
    element('span', { class: 'muted' }, size),
  ];
  if (diff === null) return element('li', {}, ...head, element('span', { class: 'muted' }, 'no text to compare'));
  const details = element('details', {}, element('summary', {}, ...head));
  details.addEventListener('toggle', () => details.append(diffBlock(plainOutput(diff))), { once: true });
  return element('li', {}, details);
}
