import { toolStarter } from './tool.ts';

/** Files of a starter project. */
export interface StarterKind {
  readonly kind: string;
  readonly summary: string;
  readonly files: readonly { readonly path: string; readonly purpose: string; readonly text: string }[];
}

/** Every starter project; the first is the one that is made when none is named. */
export const starters: readonly StarterKind[] = [toolStarter];
