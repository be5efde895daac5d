import { join, resolve } from 'node:path';
import type { Project } from './config.ts';

/** Where trials with agents leave what they did. */
export function artifactsFolder({ folder, config }: Project): string {
  return config.artifacts === undefined ? join(folder, '.assay', 'artifacts') : resolve(folder, config.artifacts);
}
