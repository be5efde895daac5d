import type { Plugin } from 'vitest/config';

export const bundledCode: Plugin;
