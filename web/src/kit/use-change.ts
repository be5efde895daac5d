import { type QueryKey, useMutation, useQueryClient } from '@tanstack/react-query';
import { ApiFailure } from '../data/api.ts';
import { useToast } from './toast.tsx';

interface Change<Input, Answer> {
  readonly send: (input: Input) => Promise<Answer>;
  /** Keys of what is read again, because the change made it stale. */
  readonly stale: readonly QueryKey[];
  /** Said when it is done. */
  readonly message?: string;
  /** Where a form shows why a change was refused; elsewhere a message says it. */
  readonly isRefusalShown?: boolean;
  readonly onDone?: (answer: Answer) => unknown;
}

/** A request that changes something. */
export function useChange<Answer, Input = void>({
  send,
  stale,
  message,
  isRefusalShown,
  onDone,
}: Change<Input, Answer>) {
  const client = useQueryClient();
  const toast = useToast();
  return useMutation({
    mutationFn: send,
    async onSuccess(answer) {
      if (message !== undefined) toast.show(message, 'good');
      for (const queryKey of stale) void client.invalidateQueries({ queryKey });
      await onDone?.(answer);
    },
    onError: (error) => !isRefusalShown && toast.show(refusalText(error), 'bad'),
  });
}

function refusalText(error: Error): string {
  if (!(error instanceof ApiFailure)) return error.message;
  const [problem] = error.problems;
  const place = problem ? ` ${problem.file}:${problem.line}: ${problem.message}.` : '';
  return [`${error.error}${place}`, error.hint].filter(Boolean).join(' ');
}
