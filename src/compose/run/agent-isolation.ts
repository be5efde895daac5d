import { dirname, resolve } from 'node:path';
import { AssayError } from '../../domain/errors.ts';
import type { AgentWork } from '../../drive/targets/agent-task/agent-work.ts';
import type { Isolation } from '../../drive/workspace/isolation.ts';
import type { Project } from '../config/project.ts';

type Env = Readonly<Record<string, string | undefined>>;

/** Finds the isolation of trials; each tier and each image is probed once. */
export async function isolationFinder({ config, folder }: Project, env: Env): Promise<AgentWork['findIsolation']> {
  const { IsolationProbes, findIsolation } = await import('../../drive/workspace/find-isolation.ts');
  const probes = new IsolationProbes();
  const images = new Map<string, Promise<Isolation>>();
  return async (wanted, { image, dockerfile, buildTimeoutSecs } = {}) => {
    const tier = wanted === 'auto' ? config.isolation : wanted;
    if (tier !== 'container') return findIsolation(tier, probes);
    const own = image ?? dockerfile;
    const source =
      own === undefined
        ? { image: config.image, dockerfile: config.dockerfile }
        : { image, dockerfile, buildTimeoutSecs };
    const key = JSON.stringify(source);
    const opened = images.get(key) ?? openContainers(source, folder, env);
    images.set(key, opened);
    return opened;
  };
}

interface ImageNames {
  readonly image?: string | undefined;
  readonly dockerfile?: string | undefined;
  readonly buildTimeoutSecs?: number | undefined;
}

async function openContainers(
  { image, dockerfile, buildTimeoutSecs }: ImageNames,
  folder: string,
  env: Env,
): Promise<Isolation> {
  if (image === undefined && dockerfile === undefined) {
    throw new AssayError('CONFIG_INVALID', '`isolation: container` needs an image.', {
      hint: 'Set `image` or `dockerfile` of the scenario or of the config.',
    });
  }
  const { findEngine } = await import('../../drive/containers/engine.ts');
  const { containerIsolation } = await import('../../drive/containers/container-isolation.ts');
  const engine = await findEngine(env);
  // No trial waits for it.
  void engine.removeAbandoned().catch(() => undefined);
  const file = dockerfile === undefined ? undefined : resolve(folder, dockerfile);
  return containerIsolation(
    engine,
    image ?? (file === undefined ? '' : await engine.build(file, dirname(file), buildTimeoutSecs)),
  );
}
