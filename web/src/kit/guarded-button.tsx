import type { ComponentProps } from 'react';
import { type Right, useRefusal } from '../data/access.ts';
import { Button } from './button.tsx';

/** A button for something that not every token may do; one that may not be used says why. */
export function GuardedButton({ needs, children, ...rest }: { readonly needs: Right } & ComponentProps<typeof Button>) {
  const refusal = useRefusal(needs);
  if (refusal === undefined) return <Button {...rest}>{children}</Button>;
  return (
    <Button {...rest} disabled title={refusal}>
      {children}
      <span className="sr-only"> ({refusal})</span>
    </Button>
  );
}
