import { readFileSync } from 'node:fs';
import { findConfig } from './find-config.ts';

/** Whether opening the project of a folder executes its code: the config is a module, or names plug-ins. */
export function executesCodeToOpen(folder: string): boolean {
  const file = findConfig(folder);
  if (file === undefined) return false;
  return /\.[cm]?[jt]s$/.test(file) || /\bplugins\b/.test(readFileSync(file, 'utf8'));
}
