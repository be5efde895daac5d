import type { Plugin } from 'vitest/config';

export declare function bundledCode(plugins?: readonly Plugin[]): Plugin;
