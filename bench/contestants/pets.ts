export interface BenchPet {
  id: number;
  name: string;
  categoryId: number;
  status?: 'available' | 'pending' | 'sold';
}

/** The same pets on every store. One in ten has no status. */
export function* petsUpTo(count: number): Generator<BenchPet> {
  for (let id = 1; id <= count; id++) {
    const digit = id % 10;
    const status = digit < 6 ? 'available' : digit < 8 ? 'pending' : 'sold';
    yield { id, name: `Pet ${id}`, categoryId: id % 50, ...(digit < 9 && { status }) };
  }
}
