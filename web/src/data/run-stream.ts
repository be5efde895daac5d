import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import type { RunStreamEvent, TrialItem } from '../../../src/entry/server/api/runs.ts';
import { apiUrl } from './api.ts';
import { backoffMs, useConnection } from './connection.ts';
import { runAddress } from './queries.ts';
import { openStream, type StreamSource } from './shared-stream.ts';

/** `readyState` of a source that has given up. */
const closed = 2;

interface RunStreamParts {
  readonly open: () => StreamSource;
  readonly onEvent: (event: RunStreamEvent) => void;
  /** Whether the stream is open; called with each change. */
  readonly onOpen: (isOpen: boolean) => void;
  readonly wait?: (callback: () => void, ms: number) => () => void;
}

/**
 * Follows the event stream of a run until the run has ended. A source that lost its server comes back by itself, from
 * the event after the last one that arrived; one that was refused gives up, and another is opened after a while. The
 * function that is returned stops following.
 */
export function followRun({ open, onEvent, onOpen, wait = waitByTimer }: RunStreamParts): () => void {
  let source: StreamSource | null = null;
  let cancelWait: (() => void) | null = null;
  let attempt = 0;

  const stop = (): void => {
    cancelWait?.();
    source?.close();
    source = null;
  };

  const start = (): void => {
    const opened = open();
    source = opened;
    opened.addEventListener('open', () => onOpen(true));
    opened.addEventListener('message', (message) => {
      const event = message instanceof MessageEvent ? readEvent(message.data) : null;
      if (event === null || source !== opened) return;
      attempt = 0;
      onEvent(event);
      if (event.type === 'finished' || event.type === 'failed') stop();
    });
    opened.addEventListener('error', () => {
      if (source !== opened) return;
      onOpen(false);
      if (opened.readyState !== closed) return;
      source = null;
      cancelWait = wait(start, backoffMs(attempt));
      attempt += 1;
    });
  };

  start();
  return stop;
}

/** Unknown events of a newer server are ignored. */
function readEvent(data: unknown): RunStreamEvent | null {
  try {
    const event: unknown = JSON.parse(String(data));
    const isKnown =
      typeof event === 'object' &&
      event !== null &&
      'type' in event &&
      ['progress', 'warning', 'finished', 'failed'].includes(String(event.type));
    return isKnown ? (event as RunStreamEvent) : null;
  } catch {
    return null;
  }
}

function waitByTimer(callback: () => void, ms: number): () => void {
  const timer = setTimeout(callback, ms);
  return () => clearTimeout(timer);
}

export type Progress = Extract<RunStreamEvent, { type: 'progress' }>;

/** The state of a run from its events so far. */
export interface RunProgress {
  readonly progress: Progress | null;
  /** Trials that did not pass, the newest first; the last few. */
  readonly failures: readonly TrialItem[];
  readonly warnings: readonly string[];
  readonly ended: Extract<RunStreamEvent, { type: 'finished' | 'failed' }> | null;
}

/** The state before the first event. */
export const noEvents: RunProgress = { progress: null, failures: [], warnings: [], ended: null };

const keptFailures = 20;
const keptWarnings = 20;

/** The state after one more event. An event that arrives twice changes nothing. */
export function afterEvent(known: RunProgress, event: RunStreamEvent): RunProgress {
  if (event.type === 'progress')
    return { ...known, progress: event, failures: withNewFailures(known.failures, event.recent) };
  if (event.type === 'warning') {
    if (known.warnings.includes(event.message)) return known;
    return { ...known, warnings: [...known.warnings, event.message].slice(-keptWarnings) };
  }
  return { ...known, ended: event };
}

function withNewFailures(failures: readonly TrialItem[], recent: readonly TrialItem[]): readonly TrialItem[] {
  const listedIds = new Set(failures.map(({ trialId }) => trialId));
  const fresh = recent.filter(({ outcome, trialId }) => outcome !== 'pass' && !listedIds.has(trialId));
  return fresh.length === 0 ? failures : [...fresh, ...failures].slice(0, keptFailures);
}

/** The progress of a run as it happens; when the run ends, everything shown of it is refetched. */
export function useRunEvents(runId: string, isLive: boolean): RunProgress & { readonly isOpen: boolean } {
  const client = useQueryClient();
  const connection = useConnection();
  const [state, setState] = useState(noEvents);
  const [isOpen, setIsOpen] = useState(false);
  useEffect(() => {
    if (isReport || !isLive) return;
    setState(noEvents);
    let round: number | undefined;
    return followRun({
      open: () => openStream(apiUrl(`${runAddress(runId)}/events`)),
      onEvent: (event) => {
        setState((before) => afterEvent(before, event));
        if (event.type === 'progress' && event.round?.round !== round) {
          // A round of an experiment has ended: what it found is in the run.
          if (round !== undefined) void client.invalidateQueries({ queryKey: ['run', runId], exact: true });
          round = event.round?.round;
        }
        if (event.type !== 'finished' && event.type !== 'failed') return;
        void client.invalidateQueries({ queryKey: ['run', runId] });
        void client.invalidateQueries({ queryKey: ['runs'] });
        void client.invalidateQueries({ queryKey: ['dashboard'] });
      },
      onOpen: (isNowOpen) => {
        setIsOpen(isNowOpen);
        if (isNowOpen) connection.heard(null);
        else if (connection.state() === 'connected') connection.tryNow();
      },
    });
  }, [runId, isLive, client, connection]);
  return { ...state, isOpen };
}
