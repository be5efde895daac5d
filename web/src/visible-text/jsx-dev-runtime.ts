import * as runtime from 'react/jsx-dev-runtime';
import { withVisibleProps } from './visible-props.ts';

// The same as jsx-runtime.ts, for the server of the developers and for tests.

export { Fragment } from 'react/jsx-dev-runtime';
export type { JSX } from './jsx.ts';

export const jsxDEV: typeof runtime.jsxDEV = (type, props, ...rest) =>
  runtime.jsxDEV(type, withVisibleProps(props), ...rest);
