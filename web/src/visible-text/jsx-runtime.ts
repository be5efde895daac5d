import type { ElementType, Key } from 'react';
import * as runtime from 'react/jsx-runtime';
import { withVisibleProps } from './visible-props.ts';

// The compiler calls these for every element of the pages (`jsxImportSource` in web/tsconfig.json).

export { Fragment } from 'react/jsx-runtime';
export type { JSX } from './jsx.ts';

export const jsx: typeof runtime.jsx = (type: ElementType, props: unknown, key?: Key) =>
  runtime.jsx(type, withVisibleProps(props), key);

export const jsxs: typeof runtime.jsxs = (type: ElementType, props: unknown, key?: Key) =>
  runtime.jsxs(type, withVisibleProps(props), key);
