import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { TrialDetail } from '../../../../src/entry/server/api/trials.ts';
import { figureText } from '../../../../src/report/presentation/figures-text.ts';
import { variantText } from '../../../../src/report/presentation/trial-text.ts';
import { grouped } from '../../../../src/shared/format.ts';
import { CopyButton } from '../../kit/copy-button.tsx';
import { Duration, Money, When } from '../../kit/figures.tsx';
import { FactList } from './findings/fact-list.tsx';

/** What is known of a trial besides how it was judged. */
export function TrialFacts({ trial: { record, attempts } }: { trial: TrialDetail }) {
  const { usage } = record;
  const variant = variantText(record.variant);
  return (
    <FactList
      facts={[
        ['Duration', <Duration key="ms" ms={record.durationMs} />],
        ['Cost', <Money key="usd" usd={record.costUsd} />],
        usage && usage.inputTokens + usage.outputTokens > 0
          ? ['Tokens', `${grouped(usage.inputTokens)} in, ${grouped(usage.outputTokens)} out`]
          : null,
        variant === '' ? null : ['Variant', variant],
        ['Case', record.caseId],
        ['Repeat', String(record.repeat)],
        record.compositeScore === null ? null : ['Composite score', figureText(record.compositeScore)],
        record.workflowScore === null ? null : ['Workflow score', figureText(record.workflowScore)],
        ['Started', <When key="at" at={record.startedAt} />],
        [
          'File',
          <code key="file" className="font-mono text-xs">
            {record.file}
          </code>,
        ],
        record.cachedFrom === null
          ? null
          : [
              'Taken over from',
              <Link
                key="from"
                to="/trials/$trialId"
                params={{ trialId: record.cachedFrom }}
                className="text-accent hover:underline"
              >
                an earlier trial
              </Link>,
            ],
        ...attempts.map((attempt, index): [string, ReactNode] => [
          `Attempt ${index + 1}`,
          <span key={attempt.startedAt}>
            {attempt.outcome}: {attempt.reason} (<When at={attempt.startedAt} />, <Money usd={attempt.costUsd} />)
          </span>,
        ]),
        [
          'Trial',
          <span key="id" className="flex items-center gap-1 font-mono text-xs">
            {record.trialId}
            <CopyButton text={record.trialId} label="Copy the id of the trial" />
          </span>,
        ],
      ]}
    />
  );
}
