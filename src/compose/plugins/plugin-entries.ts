import type { FilePosition } from '../../domain/errors.ts';
import type { PluginEntry } from './plugin-problem.ts';

interface NamedPlugins {
  readonly plugins?: readonly string[] | undefined;
  /** The key of an earlier format. */
  readonly evaluators?: readonly string[] | undefined;
}

type Locate = (path: readonly PropertyKey[]) => FilePosition;

/** The plug-ins that a config names, in order, with their places where `locate` knows them. */
export function pluginEntries(config: NamedPlugins, locate?: Locate): PluginEntry[] {
  return (['plugins', 'evaluators'] as const).flatMap((key) =>
    (config[key] ?? []).map((specifier, index) => ({ specifier, at: locate?.([key, index]) })),
  );
}
