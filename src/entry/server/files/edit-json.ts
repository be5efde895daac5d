import { applyEdits, modify } from 'jsonc-parser';
import type { DataChange } from './data-changes.ts';

/** Makes changes in JSON; comments and everything else stay as they are. */
export function editJson(text: string, changes: readonly DataChange[]): string {
  const [, indentation = '  '] = /^([ \t]+)\S/m.exec(text) ?? [];
  const isTabbed = indentation.startsWith('\t');
  const formattingOptions = { insertSpaces: !isTabbed, tabSize: isTabbed ? 1 : indentation.length, eol: '\n' };
  return changes.reduce((edited, { path, value }) => {
    const steps = path.map((step) => (typeof step === 'number' ? step : String(step)));
    return applyEdits(edited, modify(edited, steps, value, { formattingOptions }));
  }, text);
}
