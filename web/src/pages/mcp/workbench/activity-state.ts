import type { Activity, Frame, HandCall, ServerRequestItem } from '../../../../../src/entry/server/api/workbench.ts';

const mostFrames = 1_000;

/** All that is known of a session's history. */
export interface ActivityState {
  readonly sequence: number;
  readonly detailSequence: number;
  readonly status: Activity['status'];
  /** The newest first. */
  readonly calls: readonly HandCall[];
  /** The oldest first. */
  readonly requests: readonly ServerRequestItem[];
  readonly frames: readonly Frame[];
}

export const noActivity: ActivityState = {
  sequence: 0,
  detailSequence: 0,
  status: 'connecting',
  calls: [],
  requests: [],
  frames: [],
};

/** The history with what changed in it. */
export function withChanges(state: ActivityState, changes: Activity): ActivityState {
  const { sequence, detailSequence, status } = changes;
  return {
    sequence,
    detailSequence,
    status,
    calls: merged(state.calls, changes.calls).toSorted(
      (a, b) => b.startedAt - a.startedAt || order(b.id) - order(a.id),
    ),
    requests: merged(state.requests, changes.requests).toSorted((a, b) => order(a.id) - order(b.id)),
    frames: [...state.frames, ...changes.frames].slice(-mostFrames),
  };
}

function merged<Item extends { readonly id: string }>(items: readonly Item[], changed: readonly Item[]): Item[] {
  return [...new Map([...items, ...changed].map((item) => [item.id, item])).values()];
}

/** The number in `call-12`. */
function order(id: string): number {
  return Number(id.split('-').at(-1));
}
