import type { Problem } from '../../../domain/problem.ts';
import { suggestion } from '../../../shared/suggest.ts';
import type { CsvRecord } from './csv-record.ts';

/** What is wrong with the first line of a CSV file, which names the columns. */
export function headerProblems({ cells }: CsvRecord, typedColumns: readonly string[]): Problem[] {
  const names = cells.map((cell) => cell.text);
  const [only] = cells;
  const separator = cells.length === 1 ? /[;\t|]/.exec(only?.text ?? '')?.[0] : undefined;
  if (only && separator) {
    const shown = separator === '\t' ? 'tabs' : `\`${separator}\``;
    return [
      {
        at: only.at,
        message: `the columns are separated by ${shown}, not by commas`,
        hint: 'Save the file with commas between the cells.',
      },
    ];
  }
  const naming = cells.flatMap(({ text, at }, index): Problem[] => {
    if (text.trim() === '') return [{ at, message: `column ${index + 1} has no name` }];
    return names.indexOf(text) < index ? [{ at, message: `there are two columns named \`${text}\`` }] : [];
  });
  const missing = typedColumns
    .filter((name) => !names.includes(name))
    .map(
      (name): Problem => ({
        at: { file: only?.at.file ?? '', line: only?.at.line ?? 1, column: 1 },
        message: `there is no column \`${name}\`, which \`types\` of the dataset names`,
        hint: suggestion(name, names),
      }),
    );
  return [...naming, ...missing];
}
