import { useState } from 'react';
import type { TrialDetail } from '../../../../src/entry/server/api/trials.ts';
import { plainOutput } from '../../../../src/report/presentation/trial-text.ts';
import { trialQuery } from '../../data/trials.ts';
import { OutcomeBadge } from '../../kit/badge.tsx';
import { LinkButton } from '../../kit/button.tsx';
import { CodeBlock } from '../../kit/code.tsx';
import { Segments } from '../../kit/disclosure.tsx';
import { ScrollBox } from '../../kit/scroll-box.tsx';
import { useRead } from '../../kit/use-read.tsx';
import { comparable } from '../trial/what-happened/deciding.ts';
import { onlyChanges, type Piece } from './changed-words.ts';
import { MarkedWords, useChangedWords } from './marked-words.tsx';

/** The answers of both sides to the same input, with the words that differ, and why each ended as it did. */
export function AnswerPair({ left, right }: { left: string; right: string }) {
  const [a, insteadOfA] = useRead(trialQuery(left), 4);
  const [b, insteadOfB] = useRead(trialQuery(right), 4);
  const texts = [a, b].map((trial) => (trial?.answer ? plainOutput(comparable(trial.answer.text)) : ''));
  const [textA = '', textB = ''] = texts;
  const pieces = useChangedWords(textA, textB);
  const [wanted, setWanted] = useState<View>();
  if (!a || !b) return insteadOfA ?? insteadOfB;
  const view = wanted ?? (textA.length + textB.length > mostAtOnce ? 'changes' : 'all');
  const visible = (own: readonly Piece[] | undefined) => (own && view === 'changes' ? onlyChanges(own) : own);
  return (
    <div className="flex flex-col gap-3">
      {a.input && (
        <div>
          <h4 className="mb-1 text-xs font-medium text-muted">Input</h4>
          <CodeBlock text={plainOutput(comparable(a.input.text))} maxHeight={120} label="Input" />
        </div>
      )}
      {pieces && (
        <Segments
          label="How much of the answers is shown"
          choices={[
            { key: 'all', label: 'Whole answers' },
            { key: 'changes', label: 'Only what differs' },
          ]}
          value={view}
          onChange={setWanted}
        />
      )}
      <div className="grid gap-3 md:grid-cols-2">
        <Side name="A" trial={a} text={textA} pieces={visible(pieces?.a)} look="bg-fail-ground" />
        <Side name="B" trial={b} text={textB} pieces={visible(pieces?.b)} look="bg-pass-ground" />
      </div>
    </div>
  );
}

type View = 'all' | 'changes';

/** Of longer answers, only what differs is shown at first. */
const mostAtOnce = 3_000;

interface SideProps {
  readonly name: string;
  readonly trial: TrialDetail;
  readonly text: string;
  /** Undefined until they are known, or where the texts have too little in common. */
  readonly pieces: readonly Piece[] | undefined;
  readonly look: string;
}

function Side({ name, trial: { record, answer }, text, pieces, look }: SideProps) {
  return (
    <section aria-label={`Answer of ${name}`} className="flex min-w-0 flex-col gap-1.5">
      <div className="flex flex-wrap items-center gap-2">
        <h4 className="text-xs font-medium text-muted">{name}</h4>
        <OutcomeBadge outcome={record.outcome} />
        <LinkButton size="sm" variant="ghost" to="/trials/$trialId" params={{ trialId: record.trialId }}>
          Trial of {name}
        </LinkButton>
      </div>
      {answer === null ? (
        <p className="text-sm text-muted">No answer in the trace.</p>
      ) : (
        <ScrollBox label={`Text of the answer of ${name}`} maxHeight={320}>
          <pre className="p-3 font-mono text-xs whitespace-pre-wrap wrap-break-word">
            {pieces ? <MarkedWords pieces={pieces} look={look} /> : text}
          </pre>
        </ScrollBox>
      )}
      {answer?.isCut === true && <p className="text-xs text-muted">Only the beginning; the trace has all of it.</p>}
      <p className="text-sm whitespace-pre-wrap">{plainOutput(record.reason)}</p>
    </section>
  );
}
