import type { Isolation } from '../workspace/isolation.ts';
import { type ContainerEngine, lastLine, unavailable } from './engine.ts';
import { openTrialContainer } from './trial-container.ts';

const usualPath = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

interface ImageConfig {
  readonly Env?: readonly string[] | null;
  readonly WorkingDir?: string;
}

/** Trials in containers of one image; throws where the image is missing. */
export async function containerIsolation(engine: ContainerEngine, name: string): Promise<Isolation> {
  const format = '{{json .Config}}';
  const { exitCode, stdout, stderr } = await engine.run(['image', 'inspect', name, '--format', format]);
  if (exitCode !== 0) {
    throw unavailable(`The image ${name} is not on this machine: ${lastLine(stderr)}`, 'Pull or build it first.');
  }
  const { Env: variables, WorkingDir: folder = '' } = JSON.parse(stdout || '{}') as ImageConfig;
  const path = variables?.find((entry) => entry.startsWith('PATH='))?.slice('PATH='.length) ?? usualPath;
  return {
    tier: 'container',
    isNamespaced: true,
    canCover: false,
    wrap: (argv) => argv,
    openSystem: (request) => openTrialContainer(engine, { name, path, folder }, request),
  };
}
