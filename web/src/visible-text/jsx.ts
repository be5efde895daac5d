import type { ReactElement, JSX as ReactJsx } from 'react';

/**
 * Results of components: elements, whose texts were made visible as they were created. A bare text would reach the page as it is,
 * so a component puts it into a fragment.
 */
type Shown = ReactElement | null | undefined | boolean | readonly Shown[];

/** A component that React made of another: `memo` and `lazy` have it in one of these. */
interface Exotic {
  readonly $$typeof: symbol;
  readonly type?: Component;
  readonly _result?: Component;
}

type Component = ((props: never) => Shown) | (abstract new (props: never) => { render(): Shown }) | Exotic;

/** The types of elements; as in React but for the components. */
export declare namespace JSX {
  type ElementType = keyof ReactJsx.IntrinsicElements | Component;
  type Element = ReactJsx.Element;
  type ElementClass = ReactJsx.ElementClass;
  type ElementAttributesProperty = ReactJsx.ElementAttributesProperty;
  type ElementChildrenAttribute = ReactJsx.ElementChildrenAttribute;
  type LibraryManagedAttributes<C, P> = ReactJsx.LibraryManagedAttributes<C, P>;
  type IntrinsicAttributes = ReactJsx.IntrinsicAttributes;
  type IntrinsicClassAttributes<T> = ReactJsx.IntrinsicClassAttributes<T>;
  type IntrinsicElements = ReactJsx.IntrinsicElements;
}
