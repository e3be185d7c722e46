/** The contract's own figures. They are not the service's constants: those are what is checked. */

export const statuses = ['available', 'pending', 'sold'] as const;

export const limits = { smallest: 1, largest: 100, default: 20 } as const;

/** getPet goes on this day. */
export const removalDay = '2030-12-05';
