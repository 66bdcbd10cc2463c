// nextflow run examples/cluster/main.nf -resume --experiment EXPERIMENT --shards 40 --dir /shared/DIR --out /shared/OUT
//
// Paths are absolute: each task runs in a folder of its own. Flags of run are part of the experiment's name. Nextflow's executors
// (slurm, k8s, …) start the shards on other machines; DIR is on a disk that they share.
process shard {
    errorStrategy 'retry'
    maxRetries 3

    input:
    val number

    output:
    val number

    script:
    "ikeru run ${params.experiment} --shard ${number}/${params.shards} --resume --quiet -o ${params.dir}/${number}"
}

process merge {
    input:
    val numbers

    script:
    "ikeru merge ${params.dir}/* -o ${params.out}"
}

workflow {
    Channel.of(1..params.shards) | shard | collect | merge
}
