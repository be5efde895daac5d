import { createContext, useContext } from 'react';

/** The attributes that connect a control with its label, its hint and its problems. */
export interface FieldTies {
  readonly id?: string;
  readonly 'aria-label'?: string;
  readonly 'aria-describedby'?: string | undefined;
  readonly 'aria-invalid'?: true;
}

/** Given by a field to the control in it, which needs no label then. */
export const FieldContext = createContext<FieldTies>({});

/** The ties of the field around a control; none outside of one. */
export function useFieldTies(): FieldTies {
  return useContext(FieldContext);
}
