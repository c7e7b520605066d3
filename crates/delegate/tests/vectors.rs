//! Every vector of the published set, in every variant, has exactly the expected values.

#![allow(clippy::unwrap_used, reason = "a fault of the data fails the test")]

mod worlds;

use worlds::{VectorWorld, vectors};

#[test]
fn every_variant_of_every_vector_is_right() {
    let set = vectors();
    let mut wrong = Vec::new();
    let mut count = 0;
    for vector in &set.vectors {
        for variant in &vector.variants {
            count += 1;
            let world = VectorWorld::new(&set, vector, &variant.runtime);
            let analysis =
                presight_delegate::analyse(&world, set.delegate, &variant.runtime, Default::default())
                    .unwrap();
            let line = format!(
                "{}/{}: {:?} {:?} ({}; {} steps)",
                vector.id,
                variant.name,
                analysis.single_caller,
                analysis.unbounded_outflow,
                analysis.note,
                analysis.steps,
            );
            println!("{line}");
            let fine = vector.single_caller.allows(analysis.single_caller.value())
                && vector
                    .unbounded_outflow
                    .allows(analysis.unbounded_outflow.value());
            if !fine {
                wrong.push(line);
            }
        }
    }
    println!("{count} variants, {} not as expected", wrong.len());
    assert_eq!(count, 91, "vectors were not run");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
