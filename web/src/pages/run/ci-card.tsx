import type { RunDetail } from '../../../../src/entry/server/api/runs.ts';
import { counted } from '../../../../src/shared/format.ts';
import { Badge } from '../../kit/badge.tsx';
import { Card } from '../../kit/page.tsx';

type Ci = NonNullable<RunDetail['ci']>;

const looks = {
  pass: { tone: 'good', word: 'passes' },
  fail: { tone: 'bad', word: 'fails' },
  error: { tone: 'warn', word: 'cannot be decided' },
} as const;

const marks: Readonly<Record<Ci['lines'][number]['mark'], { readonly sign: string; readonly look: string }>> = {
  fail: { sign: '✗', look: 'text-fail' },
  unknown: { sign: '!', look: 'text-error' },
  note: { sign: '–', look: 'text-muted' },
};

/** Whether a build passes by the rules of the scenario files, and which failures do not count. */
export function CiCard({ ci }: { ci: RunDetail['ci'] }) {
  if (!ci) return null;
  const { tone, word } = looks[ci.outcome];
  return (
    <Card title="Rules for CI" actions={<Badge tone={tone}>{word}</Badge>}>
      <div className="flex flex-col gap-2 text-sm">
        <p>{ci.summary}</p>
        <ul className="flex flex-col gap-1">
          {ci.lines.map(({ mark, text }) => (
            <li key={`${mark} ${text}`} className="flex gap-2">
              <span aria-hidden className={marks[mark].look}>
                {marks[mark].sign}
              </span>
              <span className="min-w-0 break-words">{text}</span>
            </li>
          ))}
        </ul>
        {ci.unlisted > 0 && <p className="text-muted">… and {counted(ci.unlisted, 'more line')}</p>}
        <p className="text-xs text-muted">
          By the files alone. A build with <code>--baseline</code> also knows which cases were flaky before.
        </p>
      </div>
    </Card>
  );
}
