import type { Page } from 'playwright-core';
import type { Store } from '../src/keep/store/store.ts';
import type { finishedTrial, runHeader } from '../src/testing/samples.ts';

export interface WalkStep {
  readonly name: string;
  readonly ms: number;
  readonly clicks: number;
}

export const walkFiles: Readonly<Record<string, string>>;

export function fillForWalk(
  store: Store,
  samples: { readonly runHeader: typeof runHeader; readonly finishedTrial: typeof finishedTrial },
  count?: number,
): Promise<void>;

export function usabilityWalk(
  page: Page,
  addressOf: (path: string) => string,
): Promise<{
  readonly steps: readonly WalkStep[];
  readonly clicks: number;
  readonly link: string;
  readonly isSamePage: boolean;
}>;
