import { useQuery } from '@tanstack/react-query';
import { Link, useMatch } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { TrialDetail, TrialText } from '../../../../../src/entry/server/api/trials.ts';
import { plainOutput } from '../../../../../src/report/presentation/trial-text.ts';
import { CodeBlock, DiffBlock } from '../../../kit/code.tsx';
import { changedSearch, eventName } from '../use-trial-address.ts';
import { comparable } from './deciding.ts';

/** Input, expected value and answer of the trial. */
export function ExpectedActual({ trial }: { trial: TrialDetail }) {
  const { record, input, answer } = trial;
  const { excerpt } = record;
  const expected = excerpt?.expected;
  return (
    <div className="flex flex-col gap-3">
      <TextPart trialId={record.trialId} label="Input" found={input} />
      {excerpt?.expectedBehavior !== undefined && (
        <Part label="Expected behavior">
          <p className="whitespace-pre-wrap">{excerpt.expectedBehavior}</p>
        </Part>
      )}
      <div className={expected === undefined ? '' : 'grid gap-3 md:grid-cols-2'}>
        {expected !== undefined && (
          <Part label="Expected">
            <CodeBlock text={plainOutput(comparable(expected))} maxHeight={220} label="Expected" />
            {excerpt?.cut?.includes('expected') && <Note>Only the beginning was kept.</Note>}
          </Part>
        )}
        <TextPart trialId={record.trialId} label={expected === undefined ? 'Answer' : 'Actual'} found={answer} />
      </div>
      {expected !== undefined && !excerpt?.cut?.includes('expected') && answer && !answer.isCut && (
        <Difference expected={comparable(expected)} actual={comparable(answer.text)} />
      )}
    </div>
  );
}

function TextPart({ trialId, label, found }: { trialId: string; label: string; found: TrialText | null }) {
  const isHere = useMatch({ from: '/trials/$trialId', shouldThrow: false }) !== undefined;
  if (!found) {
    return (
      <Part label={label}>
        <Note>None in the trace.</Note>
      </Part>
    );
  }
  const name = eventName(found.event);
  const link = (
    <Link
      to="/trials/$trialId"
      params={{ trialId }}
      search={
        isHere
          ? (previous) => changedSearch(previous, { event: name, quote: undefined, view: undefined })
          : { event: name }
      }
      replace={isHere}
      resetScroll={false}
      aria-label={`${label}: event ${name} of the trace`}
      className="rounded font-mono text-accent hover:underline"
    >
      {name}
    </Link>
  );
  return (
    <Part label={label} link={link}>
      <CodeBlock text={plainOutput(comparable(found.text))} maxHeight={220} label={label} />
      {found.isCut && <Note>Only the beginning is shown here; the event has all of it.</Note>}
    </Part>
  );
}

function Part({ label, link, children }: { label: string; link?: ReactNode; children: ReactNode }) {
  return (
    <div className="flex min-w-0 flex-col gap-1">
      <h3 className="flex items-center gap-2 text-xs font-medium text-muted">
        {label} {link}
      </h3>
      {children}
    </div>
  );
}

function Note({ children }: { children: ReactNode }) {
  return <p className="text-xs text-muted">{children}</p>;
}

/** Lines that differ; single lines stand beside each other already. */
function Difference({ expected, actual }: { expected: string; actual: string }) {
  const isWorthwhile = expected !== actual && (expected.includes('\n') || actual.includes('\n'));
  const { data } = useQuery({
    queryKey: ['text-diff', expected, actual],
    queryFn: async () => {
      const { createTwoFilesPatch } = await import('diff');
      return createTwoFilesPatch('expected', 'actual', `${expected}\n`, `${actual}\n`, undefined, undefined, {
        maxEditLength: mostDifferences,
      });
    },
    enabled: isWorthwhile,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  });
  if (!isWorthwhile || data === undefined) return null;
  return (
    <Part label="Differences: − expected, + actual">
      <DiffBlock text={data} maxHeight={320} />
    </Part>
  );
}

/** Texts that differ in more lines have nothing in common, and comparing them takes long. */
const mostDifferences = 1_000;
