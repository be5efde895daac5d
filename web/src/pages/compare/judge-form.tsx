import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { CircleStop, Scale } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import type { JudgeComparison, Judging } from '../../../../src/entry/server/api/trials.ts';
import { api } from '../../data/api.ts';
import { type ComparisonRequest, comparisonQuery, judgingQuery } from '../../data/trials.ts';
import { WithCode } from '../../kit/code.tsx';
import { Disclosure } from '../../kit/disclosure.tsx';
import { Field, NumberInput, TextInput } from '../../kit/field.tsx';
import { GuardedButton } from '../../kit/guarded-button.tsx';
import { ErrorView, Remark } from '../../kit/page.tsx';

interface JudgeFormProps {
  readonly request: ComparisonRequest;
  /** Whether there are preferences, which are judged again only on request. */
  readonly isJudged: boolean;
}

/** Lets a judge compare answers, and shows how far it is: also after a reload, and where another page started it. */
export function JudgeForm({ request, isJudged }: JudgeFormProps) {
  const client = useQueryClient();
  const { data: judging, error } = useQuery(judgingQuery(request));
  const isRunning = judging?.state === 'running';
  const wasRunning = useRef(false);
  useEffect(() => {
    if (wasRunning.current && !isRunning) {
      void client.invalidateQueries({ queryKey: comparisonQuery(request).queryKey });
    }
    wasRunning.current = isRunning;
  }, [isRunning, client, request]);
  if (error) return <ErrorView error={error} />;
  if (!judging) return null;
  if (isRunning) return <JudgingProgress request={request} judging={judging} />;
  return (
    <>
      {judging.problem && (
        <Remark tone="warn">
          <WithCode text={`${judging.problem.message} ${judging.problem.hint}`} />
        </Remark>
      )}
      {judging.state === 'incomplete' && (
        <p>
          {judging.judged} of {judging.total} pairs are judged. The judge goes on with the others.
        </p>
      )}
      {isJudged ? (
        <Disclosure summary="Judge again">
          <StartForm request={request} isAfresh />
        </Disclosure>
      ) : (
        <StartForm request={request} isAfresh={false} />
      )}
    </>
  );
}

function JudgingProgress({ request, judging }: { request: ComparisonRequest; judging: Judging }) {
  const { judged, total, costUsd } = judging;
  const client = useQueryClient();
  const cancel = useMutation({
    mutationFn: () => api.delete<Judging>('/compare/judge', request),
    onSuccess: () => client.invalidateQueries({ queryKey: judgingQuery(request).queryKey }),
  });
  return (
    <div className="flex flex-wrap items-center gap-3">
      <progress
        aria-label="Judged pairs"
        className="h-2 min-w-40 flex-1 accent-[var(--color-accent)]"
        max={Math.max(1, total)}
        value={judged}
      />
      <span role="status" className="tabular-nums">
        {judged} of {total} pairs judged, {costUsd === null ? 'cost unknown' : `$${costUsd.toFixed(4)}`}
      </span>
      <GuardedButton
        needs="run"
        icon={<CircleStop size={14} aria-hidden />}
        isBusy={cancel.isPending}
        onClick={() => cancel.mutate()}
      >
        Cancel
      </GuardedButton>
      {cancel.error && <ErrorView error={cancel.error} />}
    </div>
  );
}

function StartForm({ request, isAfresh }: { request: ComparisonRequest; isAfresh: boolean }) {
  const [judgeModel, setJudgeModel] = useState('');
  const [maxUsd, setMaxUsd] = useState<number | null>(1);
  const client = useQueryClient();
  const judge = useMutation({
    mutationFn: (body: JudgeComparison) => api.post<Judging>('/compare/judge', body),
    onSuccess: (judging) => client.setQueryData(judgingQuery(request).queryKey, judging),
  });
  const start = (): void =>
    judge.mutate({
      ...(request as JudgeComparison),
      ...(judgeModel.trim() !== '' && { judgeModel: judgeModel.trim() }),
      ...(maxUsd !== null && { maxUsd }),
      isAfresh,
    });
  return (
    <div className="flex flex-col gap-3">
      <div className="flex flex-wrap items-end gap-3">
        <Field label="Judge model" hint="provider/model; empty: that of the project">
          <TextInput value={judgeModel} onChange={setJudgeModel} className="min-w-64" />
        </Field>
        <Field label="At most, in USD" hint="Empty: no limit">
          <NumberInput value={maxUsd} onChange={setMaxUsd} className="w-32" />
        </Field>
        <GuardedButton
          needs="run"
          icon={<Scale size={14} aria-hidden />}
          isBusy={judge.isPending}
          onClick={start}
          variant="primary"
        >
          Judge answers
        </GuardedButton>
      </div>
      {judge.error && <ErrorView error={judge.error} />}
    </div>
  );
}
