import { type DiffLine, diffLines } from '../../../src/report/presentation/diff-lines.ts';
import { classes } from './classes.ts';
import { ScrollBox } from './scroll-box.tsx';

const looks: Readonly<Record<DiffLine['kind'], string>> = {
  added: 'bg-pass-ground text-pass',
  removed: 'bg-fail-ground text-fail',
  place: 'bg-raised text-muted',
  same: '',
};

/** Lines beyond these are left out until they are asked for: a browser does not like millions of elements. */
const shownLines = 2_000;

/** A unified diff with what was added and removed in colour. */
export function DiffBlock({ text, maxHeight = 480 }: { text: string; maxHeight?: number }) {
  const lines = diffLines(text);
  const hidden = lines.length - shownLines;
  return (
    <ScrollBox label="Differences" maxHeight={maxHeight}>
      <pre className="min-w-max py-1 font-mono text-xs">
        {lines.slice(0, shownLines).map((line, index) => (
          <div key={`${index + 1}`} className={classes('px-3', looks[line.kind])}>
            {line.text || ' '}
          </div>
        ))}
        {hidden > 0 && <div className="px-3 text-muted">… {hidden} more lines</div>}
      </pre>
    </ScrollBox>
  );
}
