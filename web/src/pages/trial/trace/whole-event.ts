import { useQueries } from '@tanstack/react-query';
import { wholeEventQuery } from '../../../data/trials.ts';
import type { PlacedEvent } from './trace-pages.ts';

/** An event and its answer with their texts uncut, once that is asked for and has come. */
export interface WholeEvents {
  readonly event: PlacedEvent;
  readonly result: PlacedEvent | undefined;
  readonly isLoading: boolean;
  readonly error: Error | null;
}

/** Asks for what was cut of an event and of its answer, where it is wanted. */
export function useWholeEvents(
  trialId: string,
  event: PlacedEvent,
  result: PlacedEvent | undefined,
  isWanted: boolean,
): WholeEvents {
  const cut = isWanted ? [event, result].filter((placed) => placed?.isCut === true) : [];
  const answers = useQueries({
    queries: cut.map((placed) => wholeEventQuery(trialId, placed?.index ?? 0)),
  });
  const whole = <Placed extends PlacedEvent | undefined>(placed: Placed): Placed | PlacedEvent => {
    const answer = answers.find(({ data }) => data !== undefined && data.index === placed?.index)?.data;
    return answer ? { ...answer, isCut: false } : placed;
  };
  return {
    event: whole(event),
    result: whole(result),
    isLoading: answers.some(({ isPending }) => isPending),
    error: answers.find(({ error }) => error)?.error ?? null,
  };
}
