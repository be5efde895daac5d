import { openProject, type Project } from '../compose/config.ts';
import { openStore } from '../store/open-store.ts';
import type { Store } from '../store/store.ts';
import type { CliContext } from './context.ts';

/** The store that a command works on: the flag, then the environment, then the config. */
export async function openProjectStore(
  context: CliContext,
  flag: string | undefined,
  project?: Project,
): Promise<Store> {
  const { config, folder } = project ?? (await openProject(context.cwd, context.env));
  return openStore(flag ?? context.env.ASSAY_STORE ?? config.store, folder, { warn: storeWarning(context) });
}

/** Tells people what a store has to say. */
export function storeWarning({ stderr }: Pick<CliContext, 'stderr'>): (message: string) => void {
  return (message) => {
    stderr.write(`${message}\n`);
  };
}

/** The `--store` option, the same on every command that has it. */
export const storeOption = ['--store <url>', 'where runs are kept'] as const;
